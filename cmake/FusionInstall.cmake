# cmake --install: the program, the plugin, the two libraries with their headers (under include/halide-fusion, because they are
# included as "fusion/plan.h"), and the package HalideFusion. What this tree does not build yet is left out.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/HalideFusion")

foreach(target IN ITEMS fusion_core fusion_halide autoschedule_fusion)
    if(TARGET ${target})
        list(APPEND exported ${target})
    endif()
endforeach()
if(exported)
    install(
        TARGETS ${exported}
        EXPORT HalideFusionTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/halide-fusion"
    )
    install(EXPORT HalideFusionTargets NAMESPACE HalideFusion:: DESTINATION "${package_dir}")
    configure_package_config_file(
        "${PROJECT_SOURCE_DIR}/cmake/HalideFusionConfig.cmake.in"
        "${PROJECT_BINARY_DIR}/cmake/HalideFusionConfig.cmake"
        INSTALL_DESTINATION "${package_dir}"
    )
    write_basic_package_version_file(
        "${PROJECT_BINARY_DIR}/cmake/HalideFusionConfigVersion.cmake"
        COMPATIBILITY SameMinorVersion
    )
    install(
        FILES
        "${PROJECT_BINARY_DIR}/cmake/HalideFusionConfig.cmake"
        "${PROJECT_BINARY_DIR}/cmake/HalideFusionConfigVersion.cmake"
        DESTINATION "${package_dir}"
    )
endif()
if(TARGET halide-fusion)
    install(
        TARGETS halide-fusion halide-fusion-bundle fusion_runner
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    )
endif()
